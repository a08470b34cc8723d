// Apollo Sandbox over the endpoint of this server; without internet access, the explorer.
const { endpoint, explorer, options } = JSON.parse(document.querySelector('#sandbox-data').textContent);
if (globalThis.EmbeddedSandbox)
  new globalThis.EmbeddedSandbox({ ...options, initialEndpoint: new URL(endpoint, location.origin).href });
else if (explorer) location.replace(explorer);
else document.querySelector('#offline').hidden = false;
