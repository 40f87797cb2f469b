// Runs before the first paint, so that a chosen theme does not flash.
"use strict";
{
  let theme = "system";
  try { theme = localStorage.getItem("bmcis-theme") || theme; } catch { /* no storage: the system's */ }
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}
