import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import packedChromium from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';
import type { Lifetime } from './engines.ts';
import { memoryFolder } from './memory-folder.ts';

/**
 * What the package turns off for its own purposes, and browsers of people have. In a single process, contexts share their
 * cookies and their storage.
 */
const INSECURE = [
  '--single-process',
  '--no-zygote',
  '--allow-running-insecure-content',
  '--disable-site-isolation-trials',
  '--disable-web-security',
];

/** No page of ours has WebGL, and a GPU in software takes a third of the processor time of a browser test. */
const GPU = [
  '--ignore-gpu-blocklist',
  '--in-process-gpu',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
];

/** A name that is not `localhost`, where a page over plain HTTP is no secure context. */
const NAME_OF_HERE = '--host-resolver-rules=MAP stoa.test 127.0.0.1';

const MODULES = new URL('../../node_modules/', import.meta.url).pathname;
const { version } = JSON.parse(readFileSync(`${MODULES}@sparticuz/chromium/package.json`, 'utf8'));
const CACHE = `${MODULES}.cache/stoa/`;
const UNPACKED = `${CACHE}browser-${version}`;
const UNPACK = "await (await import('@sparticuz/chromium')).default.executablePath()";

/** As `until`. Otherwise a step of a page that takes longer than 30 s fails, as one does on a busy machine. */
const PATIENCE_MS = 240_000;

/** A real browser with its web security on; it goes with the test. Its contexts are as patient as `until`. */
export async function startBrowser(t: Lifetime, flags: readonly string[] = []): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: unpackedProgram(),
    timeout: PATIENCE_MS,
    // Its processes share memory by files, each of which costs an inode where they are not in memory.
    ignoreDefaultArgs: (await memoryFolder()) === undefined ? [] : ['--disable-dev-shm-usage'],
    args: [
      ...packedChromium.args.filter((arg) => ![...INSECURE, ...GPU].includes(arg)),
      '--no-sandbox',
      '--disable-gpu',
      NAME_OF_HERE,
      ...flags,
    ],
  });
  t.after(() => browser.close());
  browser.on('context', (context) => context.setDefaultTimeout(PATIENCE_MS));
  return browser;
}

/** The program appears when it is whole: what another process still writes cannot be started (ETXTBSY). */
function unpackedProgram(): string {
  const program = `${UNPACKED}/chromium`;
  if (existsSync(program)) return program;
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(`${UNPACKED}-`);
  // The package unpacks into TMPDIR, which only a process of its own may have changed.
  const env = { ...process.env, TMPDIR: folder };
  execFileSync(process.execPath, ['--input-type=module', '--eval', UNPACK], { env });
  try {
    renameSync(folder, UNPACKED);
  } catch (error) {
    // Another process was faster.
    if (!existsSync(program)) throw error;
    rmSync(folder, { recursive: true });
  }
  return program;
}
