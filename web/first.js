// The first script of the page; a classic one, so that it has run before anything can ask the network and before the
// first picture. The policy in the page's head would let the page ask any https host; this one, added to it, leaves only
// the page's own and those that the visitor has agreed to in this tab (consent.js). Two policies hold together, none can
// be taken back.
(function () {
  var hosts = [];
  try { hosts = JSON.parse(sessionStorage.getItem("rollscope.hosts")) || []; } catch (refused) { /* none, then */ }
  var source = /^https:\/\/(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?$/;  // what else is stored would write its own policy
  hosts = Array.isArray(hosts) ? hosts.filter(function (host) { return source.test(host); }).slice(0, 4) : [];
  var policy = document.createElement("meta");
  policy.httpEquiv = "Content-Security-Policy";
  policy.content = ["connect-src 'self'"].concat(hosts).join(" ");
  document.head.appendChild(policy);

  // Theme and language before the first paint, or the page would flash; theme.js and locale.js take over.
  function stored(key) {
    try { return localStorage.getItem(key); } catch (refused) { return null; }
  }
  function system(query) { return window.matchMedia && matchMedia(query).matches; }
  var theme = stored("rollscope.theme");
  var dark = theme ? /^dark/.test(theme) : system("(prefers-color-scheme: dark)");
  var contrast = theme ? /-contrast$/.test(theme) : system("(prefers-contrast: more)") || system("(forced-colors: active)");
  document.documentElement.setAttribute("data-theme", dark ? "dark" : "light");
  document.documentElement.setAttribute("data-contrast", contrast ? "more" : "");

  // Without modules nothing else would run, and nothing would say so.
  if (!("noModule" in document.createElement("script"))) {
    addEventListener("DOMContentLoaded", function () {
      var message = document.getElementById("message");
      message.textContent = "This browser is too old for Rollscope. Please use a version of 2021 or later of Chrome, Edge, Firefox or Safari.";
      message.removeAttribute("hidden");
    });
  }
})();
