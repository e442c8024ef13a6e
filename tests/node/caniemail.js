// {families: ["gmail", …], pages: [HTML, …]} → [{feature: {"gmail.ios": "partial" | "none"}}, …], one per page.
"use strict";

// What the package's own search for features in a page overlooks, in the page's styles and in its tags.
const OVERLOOKED = {
  "CSS Variables (Custom Properties)": /var\(|[{;]\s*--[\w-]+\s*:/,
  "CSS calc() function": /calc\(/,
  "clamp()": /clamp\(/,
  "CSS Nesting": /[{;]\s*&/,
  "@supports": /@supports/,
  "linear-gradient()": /linear-gradient\(/,
  "radial-gradient()": /radial-gradient\(/,
  "lch(), oklch(), lab(), oklab()": /\b(ok)?(lch|lab)\(/,
  "@media (prefers-color-scheme)": /prefers-color-scheme/,
  "color-scheme CSS property": /[{;]\s*color-scheme\s*:/,
};
const OVERLOOKED_IN_TAGS = {
  "color-scheme meta tag": /<meta name="color-scheme"/,
  "Embedded <svg> image": /<svg/,
  "Base 64 image format": /data:image\/[^"')]*;base64/,
  "SVG image format": /\.svg["')?]/,
  "webP image format": /\.webp["')?]/,
  "AVIF image format": /\.avif["')?]/,
};

// What it finds where it is not: `text-transform` is no `transform`.
const MISTAKEN = { transform: /[{;]\s*transform\s*:/ };

function stylesOf(html) {
  const sheets = [...html.matchAll(/<style[^>]*>([^]*?)<\/style>/g)].map(([, sheet]) => sheet);
  const attributes = [...html.matchAll(/\sstyle="([^"]*)"/g)].map(([, style]) => `* {${style.replaceAll("&quot;", "'")}}`);
  return [...sheets, ...attributes].join("\n");
}

const seenBy = (patterns, text) => Object.keys(patterns).filter((title) => patterns[title].test(text));

function used(caniemail, html) {
  const { issues } = caniemail({ clients: ["*"], html });
  const lists = [...issues.errors.values(), ...issues.warnings.values()];
  const styles = stylesOf(html);
  const more = [...seenBy(OVERLOOKED, styles), ...seenBy(OVERLOOKED_IN_TAGS, html)];
  const found = new Set([...lists.flat().map(({ title }) => title), ...more]);
  return [...found].filter((title) => !(title in MISTAKEN) || MISTAKEN[title].test(styles));
}

function lacking(feature, families) {
  const lacks = {};
  for (const family of families) {
    for (const [platform, versions] of Object.entries(feature.stats[family] ?? {})) {
      const latest = Object.values(versions).at(-1)[0]; // they stand in order of time
      if (latest === "n" || latest === "a") lacks[`${family}.${platform}`] = latest === "n" ? "none" : "partial";
    }
  }
  return lacks;
}

// The package gives up where its data say nothing of a feature in a client: now they say that it is unknown.
function filled(data) {
  const clients = data.flatMap(({ stats }) =>
    Object.entries(stats).flatMap(([family, platforms]) => Object.keys(platforms).map((one) => `${family} ${one}`)),
  );
  for (const [family, platform] of [...new Set(clients)].map((client) => client.split(" "))) {
    for (const { stats } of data) (stats[family] ??= {})[platform] ??= { unknown: "u" };
  }
}

async function main() {
  const { caniemail, rawData } = await import("caniemail");
  filled(rawData.data);
  const features = new Map(rawData.data.map((feature) => [feature.title, feature]));
  const { families, pages } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
  const answers = pages.map((html) => {
    const found = used(caniemail, html).map((title) => [title, lacking(features.get(title), families)]);
    return Object.fromEntries(found.filter(([, clients]) => Object.keys(clients).length));
  });
  process.stdout.write(JSON.stringify(answers));
}

main();
