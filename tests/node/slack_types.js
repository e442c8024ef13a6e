// [message, …] → [[what TypeScript says is wrong with it, …], …], by Slack's own types of blocks and metadata.
"use strict";

const { execFileSync } = require("node:child_process");
const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");

// What the types lag behind the documentation in: these keys are taken out, wherever the documentation has them.
const NOT_YET = { rich_text_list: ["offset"], rich_text_preformatted: ["language"] };

// @slack/web-api would say what a message is, but drags a network library along; this is what we send.
const HEAD = `
import type { KnownBlock, MessageMetadata } from "@slack/types";
type Message = {
  channel?: string; ts?: string; text?: string; blocks?: KnownBlock[]; metadata?: MessageMetadata;
  thread_ts?: string; unfurl_links?: boolean; unfurl_media?: boolean; client_msg_id?: string; mrkdwn?: boolean;
};
`;

function known(value) {
  if (Array.isArray(value)) return value.map(known);
  if (value === null || typeof value !== "object") return value;
  const kept = Object.entries(value).filter(([key]) => !(NOT_YET[value.type] ?? []).includes(key));
  return Object.fromEntries(kept.map(([key, one]) => [key, known(one)]));
}

// Literals, each on a line of its own: imported JSON would lose the narrow types, and no key would be unknown.
function source(messages) {
  const lines = messages.map((one, at) => `export const m${at}: Message = ${JSON.stringify(known(one))};`);
  return HEAD.trim() + "\n" + lines.join("\n") + "\n";
}

function config(folder) {
  const compilerOptions = {
    strict: true, noEmit: true, skipLibCheck: true, types: [], target: "es2022",
    module: "esnext", moduleResolution: "bundler",
    paths: { "@slack/types": [join(__dirname, "node_modules/@slack/types")] },
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["check.ts"] }));
}

function compiled(folder) {
  const tsc = join(__dirname, "node_modules/typescript/bin/tsc");
  try {
    return execFileSync(process.execPath, [tsc, "-p", folder, "--pretty", "false"], { encoding: "utf8", cwd: folder, maxBuffer: 1 << 28 });
  } catch (failed) {
    return failed.stdout;
  }
}

function main() {
  const messages = JSON.parse(readFileSync(0, "utf8"));
  const folder = mkdtempSync(join(tmpdir(), "slack-types-"));
  const first = HEAD.trim().split("\n").length + 1;
  const answers = messages.map(() => []);
  try {
    config(folder);
    writeFileSync(join(folder, "check.ts"), source(messages));
    let last = null;
    for (const line of compiled(folder).split("\n")) {
      const found = line.match(/^check\.ts\((\d+),\d+\): error (.*)$/);
      if (found) last = answers[Number(found[1]) - first] ?? null;
      if (found && last === null) throw new Error(line);
      if (!found && /error TS\d+/.test(line)) throw new Error(line); // of the whole, so that no message was looked at
      if (last !== null && line.trim()) last.push((found ? found[2] : line).trim());
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  process.stdout.write(JSON.stringify(answers));
}

main();
