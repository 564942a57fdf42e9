import { useRef } from 'preact/hooks';
import { untilLoaded } from '../parts/later.ts';
import { chosenLanguage, LANGUAGES, rememberLanguage, text } from '../text/text.ts';
import { chooseTheme, type Theme, theme } from './settings.ts';

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const NAMES = { en: 'English', de: 'Deutsch' };

/** Language and colours of this browser. */
export function Preferences() {
  const chosen = chosenLanguage();
  const stop = useRef(() => {});
  return (
    <div class="preferences">
      <label class="field">
        <span>{text('language')}</span>
        <select
          value={chosen}
          onChange={({ currentTarget }) => {
            const name = LANGUAGES.find((each) => each === currentTarget.value);
            if (!name) return;
            stop.current();
            stop.current = untilLoaded(
              () => rememberLanguage(name),
              () => {},
            );
          }}
        >
          {Object.entries(NAMES).map(([name, label]) => (
            <option key={name} value={name} lang={name}>
              {label}
            </option>
          ))}
          {chosen === 'pseudo' && <option value="pseudo">Pseudo</option>}
        </select>
      </label>
      <label class="field">
        <span>{text('theme')}</span>
        <select
          value={theme.value}
          onChange={({ currentTarget }) => {
            const name = THEMES.find((each) => each === currentTarget.value);
            if (name) chooseTheme(name);
          }}
        >
          {THEMES.map((name) => (
            <option key={name} value={name}>
              {text(`theme.${name}`)}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
