/**
 * A text without the folders of this machine: those that a setting names become the name of the setting, and of any other
 * path only the last part stays. For texts that leave the machine.
 */
export function withoutPaths(text: string, folders: Readonly<Record<string, string>>): string {
  let shown = text;
  const longestFirst = Object.entries(folders).sort(([, one], [, other]) => other.length - one.length);
  for (const [setting, folder] of longestFirst)
    if (folder.length > 1) shown = shown.replaceAll(folder, setting);
  return shown.replaceAll(/(?<![\w:/.-])(?:file:\/\/)?(?:\/[^\s/'"():,;]+)+\/([^\s/'"():,;]+)/g, '$1');
}
