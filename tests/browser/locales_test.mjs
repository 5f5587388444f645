// The three languages hold the same keys with the same slots, and every error and report code has its words. No browser.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isLater, LIMITS } from "../../web/locale-parts.mjs";

const top = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const read = (file) => readFileSync(path.join(top, file), "utf8");
const words = Object.fromEntries(["en", "fr", "ja"].map((language) => [language, JSON.parse(read(`web/locales/${language}.json`))]));
const slots = (text) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort();

/** Code, first and second text of each row of an .inc file. */
function rows(file, macro) {
  const text = read(file).replace(/^\s*\/\/.*$/gm, "");
  return [...text.matchAll(new RegExp(`${macro}\\((\\w+),((?:[^()"]|"(?:\\\\.|[^"\\\\])*")*)\\)`, "g"))].map(([, code, rest]) =>
    [code, ...[...rest.matchAll(/"(?:\\.|[^"\\])*"/g)].map(([quoted]) => JSON.parse(quoted))]);
}

/** Text literals of the sources in some folders. @param {string[]} folders @param {RegExp} names */
const literals = (folders, names) => folders.flatMap((folder) => readdirSync(path.join(top, folder)).filter((name) => names.test(name)).flatMap((name) =>
  [...read(`${folder}/${name}`).matchAll(/["'`]([a-z]+\.[\w.=-]*)/g)].map(([, key]) => ({ key, where: `${folder}/${name}` }))));

export default [
  {
    name: "what the canvas draws is among the words of a first visit",
    run() {
      const used = literals(["src/ui", "src/scene"], /\.(cpp|h)$/).filter(({ key, where }) => !/commands\.(cpp|h)$/.test(where) && key !== "report.");
      assert.ok(used.some(({ key }) => key === "ui.tab.graph"), "the sources were read");
      for (const { key, where } of used) {
        for (const full of Object.keys(words.en).filter((one) => (key.endsWith(".") ? one.startsWith(key) : one === key || /^\.(one|other)$/.test(one.slice(key.length)) && one.startsWith(key)))) {
          assert.ok(!isLater(full), `${full}, drawn by ${where}`);
        }
      }
      const limits = [...read("src/analysis/limits.cpp").matchAll(/ReportCode::(\w+)/g)].map(([, code]) => code);
      assert.deepEqual([...new Set(limits)].sort(), [...LIMITS].sort(), "the limits that the inspector spells out");
    },
  },
  {
    name: "what the page says before anything else is loaded is among the words of a first visit",
    run() {
      // boot.js says some things after it has asked for the rest; its tests are in page_test.mjs.
      const first = new Set(["boot.js"]);
      for (const file of first) for (const [, name] of read(`web/${file}`).matchAll(/^import\b[^"]*"\.\/([^"]+)"/gm)) first.add(name);
      first.delete("boot.js");
      const used = literals(["web"], /^[\w-]+\.(js|html)$/).filter(({ where }) => first.has(path.basename(where)) || where.endsWith("index.html"));
      assert.ok(used.some(({ key }) => key === "dom.mirror.caption"), "the modules were read");
      for (const { key, where } of used) if (Object.hasOwn(words.en, key)) assert.ok(!isLater(key), `${key} of ${where}`);
    },
  },
  {
    name: "every language has every key",
    run() {
      for (const language of ["fr", "ja"]) assert.deepEqual(Object.keys(words[language]).sort(), Object.keys(words.en).sort(), language);
    },
  },
  {
    name: "a translation fills the same slots",
    run() {
      for (const [key, text] of Object.entries(words.en)) {
        for (const language of ["fr", "ja"]) {
          // A sentence may name a thing twice in one language and once in another; it may not lose one.
          // What comes from the engine in English stands apart, as a line of its own (errors.js).
          const own = (one) => [...new Set(slots(one))].filter((slot) => !(/^(error|report)\./.test(key) && ["detail", "what", "remedy"].includes(slot)));
          assert.deepEqual(own(words[language][key]), own(text), `${language} ${key}`);
        }
      }
    },
  },
  {
    name: "every error and every remark has its words, in English those of the engine",
    run() {
      const errors = rows("src/base/error_codes.inc", "ROLLSCOPE_ERROR"), remarks = rows("src/base/report_codes.inc", "ROLLSCOPE_REPORT");
      assert.ok(errors.length > 20 && remarks.length > 20, "the tables were read");
      for (const [code, what, fix] of errors) {
        assert.equal(words.en[`error.${code}.what`], what);
        assert.equal(words.en[`error.${code}.fix`], fix);
      }
      const kinds = [...read("src/base/foreign_kinds.inc").matchAll(/^ROLLSCOPE_FOREIGN\((\w+), (\w+), ("(?:\\.|[^"\\])*"),\s*("(?:\\.|[^"\\])*")\)$/gm)];
      assert.ok(kinds.length > 20, "the table was read");
      for (const [, code, kind, what, fix] of kinds) {
        assert.equal(words.en[`error.${code}.${kind}.what`], words.en[`error.${code}.what`].replace("{detail}", JSON.parse(what)));
        assert.equal(words.en[`error.${code}.${kind}.fix`], JSON.parse(fix));
      }
      for (const [code, text, fix] of remarks) {
        assert.equal(words.en[`report.${code}.text`], text);
        assert.equal(words.en[`report.${code}.fix`], fix);
      }
    },
  },
  {
    name: "the sentences of a narration are those of the engine, and none says why",
    run() {
      const sentences = rows("src/base/narration.inc", "ROLLSCOPE_NARRATION");
      assert.ok(sentences.length > 40, "the table was read");
      for (const [id, ...texts] of sentences) {
        ["en", "fr", "ja"].forEach((language, i) => {
          assert.equal(words[language][`narration.${id}`], texts[i]);
          assert.doesNotMatch(texts[i], /\bbecause\b|\bcar\b|parce que|puisque|なぜなら|だから|からです|ため[、に]/i, `${language} ${id}`);
        });
      }
      const known = new Set(sentences.map(([id]) => `narration.${id}`));
      for (const key of Object.keys(words.en)) assert.ok(!key.startsWith("narration.") || known.has(key), key);
    },
  },
  {
    name: "no text is empty but a remedy that there is none for",
    run() {
      for (const [language, table] of Object.entries(words)) {
        for (const [key, text] of Object.entries(table)) {
          if (words.en[key] !== "") assert.ok(text.trim() !== "", `${language} ${key}`);
        }
      }
    },
  },
  {
    name: "French keeps its spaces before high signs from breaking",
    run() {
      for (const [key, text] of Object.entries(words.fr)) assert.ok(!/ [:;?!%»]|« /.test(text), `${key}: ${text}`);
    },
  },
];
