// Starts the emulator's Slack on a free port and prints its address. Its command line needs a newer node than its library.
import { createServer } from "node:net";
import { pathToFileURL } from "node:url";

const [folder, token] = process.argv.slice(2);
const free = () =>
  new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
const { createEmulator } = await import(pathToFileURL(`${folder}/node_modules/emulate/dist/api.js`));
const port = await free();
const seed = { tokens: { [token]: { login: "U000000001", scopes: [] } }, slack: { team: { name: "Hollerbell", domain: "hollerbell" } } };
await createEmulator({ service: "slack", port, hostname: "127.0.0.1", seed });
console.log(`http://127.0.0.1:${port}`);
process.stdin.resume().on("end", () => process.exit(0));
