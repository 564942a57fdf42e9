/** The rules of settings. Each fails with an Error whose message continues the name of the setting. */

export function nonEmpty(text: string): string {
  if (text.trim() === '') throw new Error('must not be empty.');
  return text;
}

/** For `localhost` Fastify also listens on ::1 with a second server, which would lack our limits. */
export function host(text: string): string {
  return text === 'localhost' ? '127.0.0.1' : nonEmpty(text);
}

export function port(text: string): number {
  const value = Number(text);
  if (/^\d{1,5}$/.test(text) && value <= 65_535) return value;
  throw new Error(`must be a port number from 0 to 65535, not "${text}".`);
}

export function wholeNumber(least: number, most: number) {
  return (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new Error(`must be a whole number from ${least} to ${most}, not "${text}".`);
  };
}

export function oneOf<Choice extends string>(choices: readonly Choice[]) {
  return (text: string): Choice => {
    const choice = choices.find((each) => each === text);
    if (choice !== undefined) return choice;
    throw new Error(`must be one of ${choices.join(', ')}, not "${text}".`);
  };
}
