/**
 * For the environment of a process that a test starts: it finds what other processes of the run have compiled, which is
 * a third of a start. Undefined where a test file runs by itself.
 */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };
