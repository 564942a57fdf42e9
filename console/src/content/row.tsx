import type { Signal } from '@preact/signals';
import { timeText } from '../parts/times.ts';
import { Marked, Snippet } from './marked.tsx';
import { setAddress, text } from './shell.ts';

/** A row of the list of content, as far as it is shown. */
interface Item {
  readonly id?: number;
  readonly title?: string;
  readonly content?: string;
  readonly category?: string;
  readonly tags?: readonly string[];
  readonly status?: string;
  readonly visibility?: string;
  readonly publish_at?: string | null;
  readonly author?: { readonly id: number; readonly username: string };
  readonly updated_at?: string;
  readonly highlights?: {
    readonly title?: readonly (readonly number[])[];
    readonly content?: readonly (readonly number[])[];
  };
}

export function Row({ item, chosen }: { readonly item: Item; readonly chosen: Signal<ReadonlySet<number>> }) {
  const { id = 0, title = '', content = '', category, tags = [], author, highlights } = item;
  const toggle = () => {
    const next = new Set(chosen.value);
    if (!next.delete(id)) next.add(id);
    chosen.value = next;
  };
  return (
    <li class="content-row">
      <input
        type="checkbox"
        aria-label={text('content.choose', { title })}
        checked={chosen.value.has(id)}
        onChange={toggle}
      />
      <div class="content-what">
        <h2 dir="auto">
          <a href={`content/${id}`}>
            <Marked text={title} ranges={highlights?.title} />
          </a>
          {item.status === 'draft' && <span class="badge">{text('content.status.draft')}</span>}
          {item.visibility === 'members' && <span class="badge">{text('content.visibility.members')}</span>}
        </h2>
        <Snippet text={content} ranges={highlights?.content} />
        <p class="content-about">
          {author && (
            <button type="button" class="link" onClick={() => setAddress({ author: String(author.id) })}>
              {author.username}
            </button>
          )}
          {item.updated_at && <time dateTime={item.updated_at}>{timeText(item.updated_at)}</time>}
          {item.publish_at && <span>{text('content.scheduled', { at: timeText(item.publish_at) })}</span>}
          {category && (
            <button type="button" class="link" onClick={() => setAddress({ category })}>
              {category}
            </button>
          )}
          {tags.map((tag) => (
            <button key={tag} type="button" class="chip" onClick={() => setAddress({ tag })}>
              {tag}
            </button>
          ))}
        </p>
      </div>
    </li>
  );
}
