/** A runner of works of which so many are under way at once; the others wait, and begin in the order of their calls. */
export function fewAtOnce(limit: number) {
  let underWay = 0;
  const waiting: (() => void)[] = [];
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    // Whoever ends hands its place on to whoever has waited longest.
    if (underWay < limit) underWay += 1;
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else underWay -= 1;
    }
  };
}
