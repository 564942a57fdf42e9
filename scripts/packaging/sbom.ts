import type { LockedPackage } from '../packages.ts';

/**
 * What the archive has code of, as a bill of materials (CycloneDX 1.6, JSON). `npm sbom` lists what is installed instead:
 * more than the bundle has of it, and with the time and a random number, so that no two are the same.
 */
export function billOfMaterials(
  version: string,
  runtime: LockedPackage,
  packages: readonly LockedPackage[],
): string {
  const components = [
    component('platform', runtime),
    ...packages
      .toSorted((one, other) => (one.path < other.path ? -1 : 1))
      .map((each) => component('library', each)),
  ];
  const stoa = { type: 'application', 'bom-ref': `stoa@${version}`, name: 'stoa', version };
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: stoa },
    components,
  };
  return `${JSON.stringify(bom, null, 2)}\n`;
}

function component(type: 'platform' | 'library', { path, name, version, license, integrity }: LockedPackage) {
  const [group, base] = name.startsWith('@') ? name.split('/') : [undefined, name];
  return {
    type,
    // Two versions of one package can be in one bundle, so the folder tells them apart.
    'bom-ref': path,
    ...(group === undefined ? {} : { group }),
    name: base,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    licenses: [{ expression: license }],
    hashes: [
      { alg: 'SHA-512', content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') },
    ],
  };
}
