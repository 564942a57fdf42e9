/** A sealing key for databases without a folder of their own. */
export const SEALING_KEY = 'jB0m1v0q7b3Wm2yq8n4rJt9sTzKcXh5LwPdEfGaUi6M';

/**
 * The settings, with a sealing key added where they name a database and no folder. Otherwise the service would keep
 * its key in the folder that the test runs in.
 */
export function withSealingKey(settings: Record<string, string>): Record<string, string> {
  const needsKey = 'DATABASE_URL' in settings && !('DATA_DIR' in settings);
  return needsKey && !('SEALING_KEY_FILE' in settings) ? { SEALING_KEY, ...settings } : settings;
}
