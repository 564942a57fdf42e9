/** argon2id as OWASP recommends it (Password Storage Cheat Sheet): 19 MiB, two passes, one lane. */
export const ARGON2 = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

const CURRENT_PREFIX = `$argon2id$v=19$m=${ARGON2.memoryCost},t=${ARGON2.timeCost},p=${ARGON2.parallelism}$`;

/** Was the hash made with other parameters than today's? A login then replaces it. */
export function isOutdated(hash: string): boolean {
  return !hash.startsWith(CURRENT_PREFIX);
}

/** The hash of no password. Verifying it takes as long as verifying the hash of a real account. */
export const NOBODYS_HASH = `${CURRENT_PREFIX}YDgdqX9nAiTaC+509GolLA$2f38E8ZUXxdIour6yyYL0Zj9jFyTWrQNiKM1Jl8GVmM`;
