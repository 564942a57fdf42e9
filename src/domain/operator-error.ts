/**
 * A fault that only the person who runs Stoa can mend: a wrong setting, a database that does not fit.
 * The message is one sentence for the terminal, shown without a stack.
 */
export class OperatorError extends Error {}
