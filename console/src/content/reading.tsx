import type { ComponentChildren } from 'preact';
import { timeText } from '../parts/times.ts';
import { BackToList } from './back-to-list.tsx';
import { Preview } from './preview.tsx';
import type { Stored } from './record.ts';
import { useSubject } from './shell.ts';

interface Props {
  readonly stored: Stored;
  readonly children: ComponentChildren;
}

/** An item of somebody else, for those who may read it and not change it. */
export function Reading({ stored: { author, updated, written }, children }: Props) {
  const { title, category, tags, language } = written;
  useSubject(title);
  return (
    <div class="content-page">
      <p>
        <BackToList />
      </p>
      <h1 dir="auto" lang={language || undefined}>
        {title}
      </h1>
      <p class="content-about">
        <span>{author}</span>
        <span>{timeText(updated)}</span>
        {[category, ...tags].filter(Boolean).map((label) => (
          <span key={label} dir="auto">
            {label}
          </span>
        ))}
      </p>
      {children}
      <Preview written={written} />
    </div>
  );
}
