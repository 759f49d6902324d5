/** General categories that Go knows by their short names. `LC` is found by its canonical name `Lc`. */
const categories: ReadonlySet<string> = new Set(
  'C Cc Cf Cn Co Cs L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs'.split(
    ' ',
  ),
);

/** The scripts of Unicode 15, which Go 1.26 has. Those with more than one word cannot be found by their canonical name. */
const scripts: ReadonlySet<string> = new Set(
  `Adlam Ahom Arabic Armenian Avestan Balinese Bamum Batak Bengali Bhaiksuki Bopomofo Brahmi Braille Buginese Buhid Carian
   Chakma Cham Cherokee Chorasmian Common Coptic Cuneiform Cypriot Cyrillic Deseret Devanagari Dogra Duployan Elbasan Elymaic
   Ethiopic Georgian Glagolitic Gothic Grantha Greek Gujarati Gurmukhi Han Hangul Hanunoo Hatran Hebrew Hiragana Inherited
   Javanese Kaithi Kannada Katakana Kawi Kharoshthi Khmer Khojki Khudawadi Lao Latin Lepcha Limbu Lisu Lycian Lydian Mahajani
   Makasar Malayalam Mandaic Manichaean Marchen Medefaidrin Miao Modi Mongolian Mro Multani Myanmar Nabataean Nandinagari Newa
   Nko Nushu Ogham Oriya Osage Osmanya Palmyrene Phoenician Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham Sinhala
   Sogdian Soyombo Sundanese Syriac Tagalog Tagbanwa Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta Toto
   Ugaritic Vai Vithkuqi Wancho Yezidi Yi`.split(/\s+/),
);

/** Long names of categories: `CategoryAliases` of Go's package `unicode`. */
const aliases: ReadonlyMap<string, string> = new Map(
  `Cased_Letter:Lc Close_Punctuation:Pe Combining_Mark:M Connector_Punctuation:Pc Control:Cc Currency_Symbol:Sc
   Dash_Punctuation:Pd Decimal_Number:Nd Enclosing_Mark:Me Final_Punctuation:Pf Format:Cf Initial_Punctuation:Pi Letter:L
   Letter_Number:Nl Line_Separator:Zl Lowercase_Letter:Ll Mark:M Math_Symbol:Sm Modifier_Letter:Lm Modifier_Symbol:Sk
   Nonspacing_Mark:Mn Number:N Open_Punctuation:Ps Other:C Other_Letter:Lo Other_Number:No Other_Punctuation:Po Other_Symbol:So
   Paragraph_Separator:Zp Private_Use:Co Punctuation:P Separator:Z Space_Separator:Zs Spacing_Mark:Mc Surrogate:Cs Symbol:S
   Titlecase_Letter:Lt Unassigned:Cn Uppercase_Letter:Lu cntrl:Cc digit:Nd punct:P`
    .split(/\s+/)
    .map((entry): [string, string] => {
      const [name = '', category = ''] = entry.split(':');
      return [canonicalName(name), category];
    }),
);

const special: ReadonlySet<string> = new Set(['Any', 'Ascii', 'Assigned', 'Lc']);

/**
 * Returns the name by which RE2JS knows a class of `\p{…}` that Go knows; `undefined` for a class that Go does not know.
 * RE2JS knows more scripts and properties than Go.
 */
export function characterClass(name: string): string | undefined {
  const canonical = canonicalName(name);
  const isKnown = special.has(canonical) || categories.has(canonical) || scripts.has(canonical);
  return isKnown ? canonical : aliases.get(canonical);
}

/** As in Go: without spaces, dashes and underscores, the first letter in upper case, the others in lower case. */
function canonicalName(name: string): string {
  const bare = name.replaceAll(/[ _-]/g, '').replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  return bare.replace(/^[a-z]/, (letter) => letter.toUpperCase());
}
