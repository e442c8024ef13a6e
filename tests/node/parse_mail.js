// [base64 of a mail, …] → [[mailparser's reading, postal-mime's], …]: two readers that share no code.
"use strict";

const { simpleParser } = require("mailparser");
const PostalMime = require("postal-mime").default ?? require("postal-mime");

const LISTS = ["list-id", "list-unsubscribe", "list-unsubscribe-post"];

const person = ({ name, address }) => ({ name: name ?? "", address: address ?? "" });

async function byMailparser(data) {
  const mail = await simpleParser(data, { skipTextToHtml: true, skipImageLinks: true, skipHtmlToText: true });
  const lines = Object.fromEntries(mail.headerLines.map(({ key, line }) => [key, line.replace(/^[^:]*:\s*/, "")]));
  return {
    subject: mail.subject,
    from: person(mail.from.value[0]),
    to: mail.to.value.map(person),
    text: mail.text,
    html: mail.html,
    lists: Object.fromEntries(LISTS.map((name) => [name, unfolded(lines[name])])),
    attachments: mail.attachments.length,
    keys: mail.headerLines.map(({ key }) => key),
  };
}

async function byPostalMime(data) {
  const mail = await PostalMime.parse(data);
  const lines = Object.fromEntries(mail.headers.map(({ key, value }) => [key, value]));
  return {
    subject: mail.subject,
    from: person(mail.from),
    to: mail.to.map(person),
    text: mail.text,
    html: mail.html,
    lists: Object.fromEntries(LISTS.map((name) => [name, unfolded(lines[name])])),
    attachments: mail.attachments.length,
    keys: mail.headers.map(({ key }) => key),
  };
}

const unfolded = (text) => text?.replace(/\r?\n(?=[ \t])/g, "");

async function main() {
  const mails = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
  const answers = [];
  for (const mail of mails) {
    const data = Buffer.from(mail, "base64");
    answers.push([await byMailparser(data), await byPostalMime(data)]);
  }
  process.stdout.write(JSON.stringify(answers));
}

main();
