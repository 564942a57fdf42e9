import { type Account, newAccount, newItem, newName } from '../client.ts';
import type { Lifetime, TestEngine } from '../engines.ts';
import { type ServiceProcess, startProcess } from '../process.ts';
import { Person } from './person.ts';

/** A service with some content, an honest user who is watched, and a member who attacks. */
export interface Target {
  readonly service: ServiceProcess;
  readonly url: string;
  readonly honest: Account;
  readonly itemOfHonest: number;
  readonly member: Account;
  /** People with sources of their own; they leave when the attack is over. */
  readonly people: (count: number) => readonly Person[];
  readonly leave: () => void;
  /** The answers to these people. */
  readonly answers: ReadonlyMap<string, number>;
}

export async function newTarget(t: Lifetime, engine: TestEngine): Promise<Target> {
  const service = await startProcess(t, await engine.settings(t));
  const { url } = service;
  const honest = await newAccount(url, newName('honest'));
  const item = await newItem(url, honest.token, { title: 'Kept', content: 'word '.repeat(200) });
  const everybody: Person[] = [];
  const answers = new Map<string, number>();
  const leave = () => {
    for (const person of everybody.splice(0)) person.leave();
  };
  t.after(leave);
  return {
    service,
    url,
    honest,
    itemOfHonest: item.id,
    member: await newAccount(url, newName('hostile')),
    people: (count) => {
      const people = Array.from({ length: count }, (_, index) => new Person(url, index + 1, answers));
      everybody.push(...people);
      return people;
    },
    leave,
    answers,
  };
}
