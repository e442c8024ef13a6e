// {rules: {…}, pages: [HTML, …]} → [["rule: message (line:column)", …], …], one list per page.
"use strict";

const { HtmlValidate, StaticConfigLoader } = require("html-validate");

async function main() {
  const { rules, pages } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
  const loader = new StaticConfigLoader({ root: true, extends: ["html-validate:recommended", "html-validate:document"], rules });
  const judge = new HtmlValidate(loader);
  const answers = [];
  for (const page of pages) {
    const report = await judge.validateString(page);
    const messages = report.results.flatMap((result) => result.messages);
    answers.push(messages.map((one) => `${one.ruleId}: ${one.message} (${one.line}:${one.column})`));
  }
  process.stdout.write(JSON.stringify(answers));
}

main();
