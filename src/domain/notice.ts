/** Reports something to the operator that belongs in no answer to a request. */
export type Notice = (message: string, error?: unknown) => void;
