// Before the first paint: sets the chosen theme, and whether there is a key.
{
  const root = document.documentElement;
  root.dataset.js = '';
  if (document.querySelector('meta[name=demo-key]')) root.dataset.key = '';
  try {
    const theme = localStorage.getItem('catalog-theme');
    if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
    if (sessionStorage.getItem('catalog-key')) root.dataset.key = '';
  } catch {
    // A browser without storage follows the system.
  }
}
