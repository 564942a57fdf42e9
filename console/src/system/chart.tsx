const [WIDTH, HEIGHT] = [300, 64];

interface Props {
  readonly title: string;
  /** The last value, for people. */
  readonly now: string;
  readonly points: readonly number[];
  /** How many points the whole width has. A service that has just started has fewer. */
  readonly most: number;
  /** The value at the top; without one it is the highest point. */
  readonly top?: number;
}

/** A series as a small curve. The table below the charts says the same in numbers. */
export function Chart({ title, now, points, most, top }: Props) {
  const highest = top ?? Math.max(1, ...points);
  const places = points.map((point, index) => {
    const x = ((most - points.length + index) / (most - 1)) * WIDTH;
    const y = HEIGHT - 2 - (Math.min(point, highest) / highest) * (HEIGHT - 6);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  const first = places[0]?.split(',')[0] ?? '0';
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        <strong>{now}</strong>
        {/* Attributes, because a style of this page only would be loaded by all. */}
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          width="100%"
          height={HEIGHT}
          preserveAspectRatio="none"
          fill="none"
          aria-hidden="true"
          focusable="false"
        >
          <path d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} stroke="var(--line)" />
          {places.length > 1 && (
            <>
              <path
                d={`M${first},${HEIGHT}L${places.join('L')}L${WIDTH},${HEIGHT}Z`}
                fill="var(--accent-soft)"
              />
              <path
                d={`M${places.join('L')}`}
                stroke="var(--accent)"
                stroke-width="1.75"
                vector-effect="non-scaling-stroke"
              />
            </>
          )}
        </svg>
      </dd>
    </div>
  );
}
