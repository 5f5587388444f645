// What the importer assumed and may be told otherwise: the switches that answer a remark of its report.

// Values of each switch (contracts, --assume). "axes" is free text and is offered only where the report names a value.
const SWITCHES = {
  orientation: ["rows", "columns"], values: ["probs", "logits"], layout: ["layers", "heads"],
  sums: ["renormalise", "sink"], tokens: ["add_specials", "ignore"],
};
// Remarks that a switch answers even where the report itself names none.
const OFFERS = { rows_not_normalised: "sums", token_count: "tokens" };

/**
 * The switches that a remark offers, as [name, value]; the one in force is not among them.
 * @param {{code: string, assumption?: string}} item @param {Record<string, string>} assumed
 * @returns {[string, string][]}
 */
export function offersOf(item, assumed) {
  const [name, value] = (item.assumption || OFFERS[item.code] || "").split("=");
  if (!name) return [];
  const values = value ? [value] : SWITCHES[name] ?? [];
  return values.filter((one) => assumed[name] !== one).map((one) => [name, one]);
}

/** The one thing worth asking about at once, or null. @returns {any} */
export const questionOf = (info) => info.report.find((item) => item.severity === "warning" && offersOf(item, info.assumed ?? {}).length > 0) ?? null;
