import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { timeText } from '../parts/times.ts';
import type { Editing } from './editing.ts';
import { LabelInput } from './label-input.tsx';
import { text } from './shell.ts';

/** What an item has besides its title and text. */
export function Settings({ editing }: { readonly editing: Editing }) {
  const { slug, category, tags, language, visibility, publish_at } = editing.fields.value;
  const { value: stored } = editing.stored;
  const wrong = editing.problem.value?.field;
  const isPublished = stored?.status === 'published';
  const tag = useSignal('');
  const place = useRef<HTMLDivElement>(null);
  const addTag = () => {
    const label = tag.value.trim();
    if (label !== '' && !tags.includes(label)) editing.change({ tags: [...tags, label] });
    tag.value = '';
  };
  return (
    <aside class="content-settings" aria-label={text('content.settings')}>
      <label class="field">
        <span>{text('content.slug')}</span>
        <input
          value={slug}
          aria-invalid={wrong === 'slug' || undefined}
          placeholder={text('content.slug.made')}
          spellcheck={false}
          autocapitalize="off"
          onInput={({ currentTarget }) => editing.change({ slug: currentTarget.value })}
        />
        {isPublished && <small>{text('content.at_once')}</small>}
      </label>
      <LabelInput
        kind="category"
        label={text('content.category')}
        value={category}
        isWrong={wrong === 'category'}
        onInput={(value) => editing.change({ category: value })}
      />
      <div ref={place} class="content-tags">
        <LabelInput
          kind="tag"
          label={text('content.tags')}
          value={tag.value}
          isWrong={wrong?.startsWith('tags') === true}
          onInput={(value) => {
            tag.value = value;
          }}
          onEnter={addTag}
          hint={text('content.tags.hint')}
        />
        {tags.length > 0 && (
          <ul>
            {tags.map((label) => (
              <li key={label} class="chip">
                {label}
                <button
                  type="button"
                  aria-label={text('content.tags.remove', { label })}
                  onClick={() => {
                    editing.change({ tags: tags.filter((other) => other !== label) });
                    place.current?.querySelector('input')?.focus();
                  }}
                >
                  ×
                </button>
              </li>
            ))}
          </ul>
        )}
      </div>
      <label class="field">
        <span>{text('content.language')}</span>
        <input
          value={language}
          maxLength={64}
          spellcheck={false}
          autocapitalize="none"
          dir="ltr"
          aria-invalid={wrong === 'language' || undefined}
          onInput={({ currentTarget }) => editing.change({ language: currentTarget.value.trim() })}
        />
        <small>{text('content.language.hint')}</small>
      </label>
      <label class="field">
        <span>{text('content.visibility')}</span>
        <select
          value={visibility}
          onChange={({ currentTarget }) =>
            editing.change({ visibility: currentTarget.value === 'members' ? 'members' : 'public' })
          }
        >
          <option value="public">{text('content.visibility.public')}</option>
          <option value="members">{text('content.visibility.members')}</option>
        </select>
        {isPublished && <small>{text('content.at_once')}</small>}
      </label>
      {publish_at !== null && (
        <p class="content-scheduled">{text('content.scheduled', { at: timeText(publish_at) })}</p>
      )}
      {stored && (
        <dl class="content-facts">
          <dt>{text('content.author')}</dt>
          <dd>{stored.author}</dd>
          <dt>{text('content.updated')}</dt>
          <dd>{timeText(stored.updated)}</dd>
          <dt>{text('content.version')}</dt>
          <dd>
            <a href={`content/${stored.id}/versions`}>{stored.version}</a>
          </dd>
        </dl>
      )}
    </aside>
  );
}
