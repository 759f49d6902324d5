/** What reading one character of a text costs. */
export const perCharacter = 0.1;

/** What one character of a regular expression costs for each part of the text that it is matched with. */
export const perPatternCharacter = 0.25;

/** What a call that makes a list costs before its items are counted. */
export const allocation = 11;

/** What a literal of a list and of a map costs beside its elements. */
export const listCost = 10;
export const mapCost = 30;
