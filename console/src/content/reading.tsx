import type { ComponentChildren } from 'preact';
import { timeText } from '../parts/times.ts';
import { Preview } from './preview.tsx';
import type { Stored } from './record.ts';
import { text, useSubject } from './shell.ts';

interface Props {
  readonly stored: Stored;
  readonly children: ComponentChildren;
}

/** An item of somebody else, for those who may read it and not change it. */
export function Reading({ stored: { author, updated, written }, children }: Props) {
  const { title, category, tags } = written;
  useSubject(title);
  return (
    <div class="content-page">
      <p>
        <a href="content" class="content-back">
          <span aria-hidden="true">←</span> {text('content.list')}
        </a>
      </p>
      <h1 dir="auto">{title}</h1>
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
