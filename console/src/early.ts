/** Runs before anything is painted: a theme that was chosen must not flash. */
try {
  const theme = localStorage.getItem('stoa.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // A browser without storage follows the system.
}
