/** Reports something to the operator that belongs in no answer to a request. */
export type Notice = (message: string, error?: unknown) => void;

/** The notices of a command. */
export function toStderr(message: string): void {
  process.stderr.write(`Note: ${message}\n`);
}
