import type { ContentListItem } from '@stoa/client';
import { Choose, type Chosen } from '../parts/chosen.tsx';
import { timeText } from '../parts/times.ts';
import { Marked, Snippet } from './marked.tsx';
import { mayChange, setAddress, text } from './shell.ts';

/** A row of the list of content. */
export function Row({ item, chosen }: { readonly item: ContentListItem; readonly chosen: Chosen }) {
  const { id, title, content, category, tags, author, highlights } = item;
  return (
    <li class="content-row">
      {mayChange(author.id) ? (
        <Choose label={text('content.choose', { title })} id={id} chosen={chosen} />
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
