import type { Signal } from '@preact/signals';
import type { ContentListItem } from '@stoa/client';
import { timeText } from '../parts/times.ts';
import { Marked, Snippet } from './marked.tsx';
import { mayChange, setAddress, text } from './shell.ts';

/** A row of the list of content. */
export function Row({
  item,
  chosen,
}: {
  readonly item: ContentListItem;
  readonly chosen: Signal<ReadonlySet<number>>;
}) {
  const { id, title, content, category, tags, author, highlights } = item;
  const toggle = () => {
    const next = new Set(chosen.value);
    if (!next.delete(id)) next.add(id);
    chosen.value = next;
  };
  return (
    <li class="content-row">
      {mayChange(author.id) ? (
        <input
          type="checkbox"
          aria-label={text('content.choose', { title })}
          checked={chosen.value.has(id)}
          onChange={toggle}
        />
      ) : (
        <span />
      )}
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
          <button type="button" class="link" onClick={() => setAddress({ author: String(author.id) })}>
            {author.username}
          </button>
          <time dateTime={item.updated_at}>{timeText(item.updated_at)}</time>
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
