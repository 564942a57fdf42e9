import type { ContentListItem } from '@stoa/client';
import { Choose, type Chosen } from '../parts/chosen.tsx';
import { timeText } from '../parts/times.ts';
import { type ListStatus, WITH_DRAFT } from './list-query.ts';
import { Marked, Snippet } from './marked.tsx';
import { mayChange, setAddress, text } from './shell.ts';

interface Props {
  readonly item: ContentListItem;
  /** That of the list, which its filters keep. */
  readonly status: ListStatus;
  readonly chosen: Chosen;
}

/** A row of the list of content. */
export function Row({ item, status, chosen }: Props) {
  const { id, title, content, category, tags, language, author, highlights } = item;
  const filter = (part: Readonly<Record<string, string>>) =>
    setAddress({ ...(status !== 'published' && { status }), ...part });
  return (
    <li class="content-row">
      {mayChange(author.id) ? (
        <Choose label={text('content.choose', { title })} id={id} chosen={chosen} />
      ) : (
        <span />
      )}
      <div class="content-what">
        <h2 dir="auto">
          <a href={`content/${id}`} lang={language}>
            <Marked text={title} ranges={highlights?.title} />
          </a>
          {item.status === 'draft' && <span class="badge">{text('content.status.draft')}</span>}
          {status === WITH_DRAFT && <span class="badge">{text('content.status.beside')}</span>}
          {item.visibility === 'members' && <span class="badge">{text('content.visibility.members')}</span>}
          {language && (
            <span class="badge" dir="ltr">
              {language}
            </span>
          )}
        </h2>
        <Snippet text={content} ranges={highlights?.content} lang={language} />
        <p class="content-about">
          <button type="button" class="link" onClick={() => filter({ author: String(author.id) })}>
            {author.username}
          </button>
          <time dateTime={item.updated_at}>{timeText(item.updated_at)}</time>
          {item.publish_at && <span>{text('content.scheduled', { at: timeText(item.publish_at) })}</span>}
          {category && (
            <button type="button" class="link" dir="auto" onClick={() => filter({ category })}>
              {category}
            </button>
          )}
          {tags.map((tag) => (
            <button key={tag} type="button" class="chip" dir="auto" onClick={() => filter({ tag })}>
              {tag}
            </button>
          ))}
        </p>
      </div>
    </li>
  );
}
