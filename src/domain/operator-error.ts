/**
 * A fault that only the operator can correct, such as a wrong setting or a database that does not fit. The message is
 * one sentence for the terminal, shown without a stack.
 */
export class OperatorError extends Error {}
