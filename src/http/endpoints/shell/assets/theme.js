// Before the first paint: the theme that was chosen, if one was.
{
  const root = document.documentElement;
  root.dataset.js = '';
  try {
    const theme = localStorage.getItem('catalog-theme');
    if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  } catch {
    // A browser that keeps nothing follows the system.
  }
}
