import { METRICS, type Reading } from '../domain/metrics.ts';

/** Readings in the text format of Prometheus. A metric without a reading has its explanation only. */
export function textOf(readings: readonly Reading[]): string {
  const byName = Map.groupBy<string, Reading>(readings, ({ name }) => name);
  const metrics = Object.entries(METRICS).map(([name, { type, help }]) => {
    const head = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
    return [...head, ...(byName.get(name) ?? []).map(lineOf), ''].join('\n');
  });
  return metrics.join('\n');
}

function lineOf({ name, part, labels = {}, value }: Reading): string {
  const pairs = Object.entries(labels).map(([label, of]) => `${label}="${escaped(String(of))}"`);
  return `${name}${part ?? ''}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}
