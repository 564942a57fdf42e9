/** Tells the operator something that no request can be answered with. */
export type Notice = (message: string, error?: unknown) => void;
