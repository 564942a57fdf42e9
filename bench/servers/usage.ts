import { readFileSync } from 'node:fs';

/** The unit of times in /proc/<pid>/stat: Linux shows them in hundredths of a second (proc(5)). */
const TICK_MICROSECONDS = 10_000;
/** Places after the name of the process, which may have spaces. */
const USER_TIME = 11;
const SYSTEM_TIME = 12;

/**
 * The processor time that all threads of a process have used until now, in microseconds. Unlike a rate, it hardly
 * depends on other load of the machine. Zero without /proc.
 */
export function processorTime(pid: number): number {
  return timeIn(`/proc/${pid}/stat`);
}

/** The same of one thread. The main thread has the number of its process. */
export function threadTime(pid: number, thread: number): number {
  return timeIn(`/proc/${pid}/task/${thread}/stat`);
}

function timeIn(file: string): number {
  if (process.platform !== 'linux') return 0;
  const fields = readFileSync(file, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME])) * TICK_MICROSECONDS;
}

/** Resident memory of a process in MB (proc(5)). */
export function residentMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}
