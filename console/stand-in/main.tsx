import { render } from 'preact';
import '@preact/signals';
import Edit from '../src/content/edit.tsx';
import Labels from '../src/content/labels.tsx';
import List from '../src/content/list.tsx';
import Trash from '../src/content/trash.tsx';
import Versions from '../src/content/versions.tsx';
import { path } from './shell.ts';

function View() {
  const [, , id = '', part] = path().split('/');
  if (id === '') return <List />;
  if (id === 'trash') return <Trash params={{}} />;
  if (id === 'labels') return <Labels />;
  if (part === 'versions') return <Versions params={{ id }} />;
  return <Edit params={{ id }} />;
}

const place = document.querySelector('main');
if (place) render(<View />, place);
