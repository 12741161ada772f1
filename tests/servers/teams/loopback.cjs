// Loaded before the Playground, so that it listens on loopback instead of every interface.
const net = require("node:net");

const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (...given) {
  const [first, second] = given;
  if (typeof first === "number" || typeof first === "string") {
    if (typeof second !== "string") given.splice(1, 0, "127.0.0.1");
  } else if (first && typeof first === "object" && "port" in first) {
    given[0] = { ...first, host: "127.0.0.1" };
  }
  return listen.apply(this, given);
};
// End with the process that started it.
process.stdin.on("end", () => process.exit(0)).resume();
