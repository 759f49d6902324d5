import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  ExpressionResults,
  type JsonObject,
  type RuleResult,
} from '../../testing/expression-results.test-support.ts';

// Results recorded from kube-apiserver 1.36.3 for the same rules and objects.
describe('named formats', () => {
  let results: ExpressionResults;

  beforeAll(() => {
    results = new ExpressionResults();
  });

  test.each<[string, [JsonObject, RuleResult][]]>([
    [
      "format.named('dns1123Label').value().validate(self.text).hasValue()",
      [
        [{ text: 'a' }, false],
        [{ text: 'A' }, true],
      ],
    ],
    ["format.named('nothing').hasValue()", [[{}, false]]],
    [
      'format.named(self.text).hasValue()',
      [
        [{ text: 'uri' }, true],
        [{ text: 'x' }, false],
      ],
    ],
    ['format.dns1123Label() == format.dns1123Label()', [[{}, true]]],
  ])('%s', (rule, expected) => {
    const found = expected.map(([spec]) => [spec, results.of(rule, spec)]);
    expect(found).toEqual(expected);
  });

  test.each<[string, [JsonObject, string][]]>([
    [
      "format.dns1123Label().validate(self.text).orValue(['good'])[0]",
      [
        [{ text: 'a' }, 'good'],
        [
          { text: 'A' },
          "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
        ],
        [{ text: 'a.b' }, 'must not contain dots'],
        [
          { text: 'a-' },
          "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
        ],
        [
          { text: '-a' },
          "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
        ],
        [
          { text: '' },
          "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
        ],
      ],
    ],
    [
      "format.dns1123Subdomain().validate(self.text).orValue(['good'])[0]",
      [
        [{ text: 'a' }, 'good'],
        [
          { text: 'A' },
          "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        ],
        [{ text: 'a.b' }, 'good'],
        [
          { text: 'a-' },
          "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        ],
        [
          { text: '-a' },
          "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        ],
        [
          { text: '' },
          "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        ],
      ],
    ],
    [
      "format.dns1035Label().validate(self.text).orValue(['good'])[0]",
      [
        [{ text: 'a' }, 'good'],
        [
          { text: 'A' },
          "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        ],
        [
          { text: 'a.b' },
          "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        ],
        [
          { text: 'a-' },
          "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        ],
        [
          { text: '-a' },
          "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        ],
        [
          { text: '' },
          "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        ],
      ],
    ],
    [
      "format.qualifiedName().validate(self.text).orValue(['good'])[0]",
      [
        [{ text: 'a' }, 'good'],
        [{ text: 'A' }, 'good'],
        [{ text: 'a.b' }, 'good'],
        [
          { text: 'a-' },
          "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        ],
        [
          { text: '-a' },
          "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        ],
        [{ text: '' }, 'name part must be non-empty'],
      ],
    ],
    [
      "format.dns1123LabelPrefix().validate(self.text).orValue(['good'])[0]",
      [
        [{ text: 'a' }, 'good'],
        [
          { text: 'A' },
          "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
        ],
        [{ text: 'a.b' }, 'must not contain dots'],
        [{ text: 'a-' }, 'good'],
        [
          { text: '-a' },
          "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
        ],
        [
          { text: '' },
          "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
        ],
      ],
    ],
    [
      "format.dns1123SubdomainPrefix().validate(self.text).orValue(['good'])[0]",
      [
        [{ text: 'a' }, 'good'],
        [
          { text: 'A' },
          "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        ],
        [{ text: 'a.b' }, 'good'],
        [{ text: 'a-' }, 'good'],
        [
          { text: '-a' },
          "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        ],
        [
          { text: '' },
          "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        ],
      ],
    ],
    [
      "format.dns1035LabelPrefix().validate(self.text).orValue(['good'])[0]",
      [
        [{ text: 'a' }, 'good'],
        [
          { text: 'A' },
          "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        ],
        [
          { text: 'a.b' },
          "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        ],
        [{ text: 'a-' }, 'good'],
        [
          { text: '-a' },
          "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        ],
        [
          { text: '' },
          "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        ],
      ],
    ],
    [
      "format.labelValue().validate(self.text).orValue(['good'])[0]",
      [
        [{ text: 'a' }, 'good'],
        [{ text: 'A' }, 'good'],
        [{ text: 'a.b' }, 'good'],
        [
          { text: 'a-' },
          "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
        ],
        [
          { text: '-a' },
          "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
        ],
        [{ text: '' }, 'good'],
      ],
    ],
    [
      "format.qualifiedName().validate(self.text).orValue(['', 'good'])[1]",
      [
        [{ text: 'a' }, 'good'],
        [{ text: 'A' }, 'good'],
        [{ text: 'a.b' }, 'good'],
        [
          { text: '' },
          "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        ],
      ],
    ],
    [
      "format.uri().validate(self.text).orValue(['good'])[0]",
      [
        [{ text: 'http://a.b' }, 'good'],
        [{ text: '/a/b?q' }, 'good'],
        [{ text: 'a' }, 'parse "a": invalid URI for request'],
        [{ text: '' }, 'parse "": empty url'],
        [{ text: '//host/path' }, 'good'],
        [{ text: 'mailto:a@b' }, 'good'],
      ],
    ],
    [
      "format.uuid().validate(self.text).orValue(['good'])[0]",
      [
        [{ text: '123e4567-e89b-12d3-a456-426614174000' }, 'good'],
        [{ text: 'x' }, 'does not match the UUID format'],
        [{ text: '123E4567e89b12d3a456426614174000' }, 'good'],
      ],
    ],
    [
      "format.byte().validate(self.text).orValue(['good'])[0]",
      [
        [{ text: 'aGk=' }, 'good'],
        [{ text: 'aGk' }, 'invalid base64'],
        [{ text: '_w==' }, 'invalid base64'],
        [{ text: '/w==' }, 'good'],
        [{ text: '' }, 'invalid base64'],
        [{ text: 'a b' }, 'invalid base64'],
      ],
    ],
    [
      "format.date().validate(self.text).orValue(['good'])[0]",
      [
        [{ text: '2021-01-01' }, 'good'],
        [{ text: '2021-13-01' }, 'invalid date'],
        [{ text: '2021-02-30' }, 'invalid date'],
        [{ text: 'x' }, 'invalid date'],
      ],
    ],
    [
      "format.datetime().validate(self.text).orValue(['good'])[0]",
      [
        [{ text: '2021-01-01T00:00:00Z' }, 'good'],
        [{ text: '2021-01-01' }, 'invalid datetime'],
        [{ text: 'x' }, 'invalid datetime'],
        [{ text: '2021-01-01T00:00:60Z' }, 'invalid datetime'],
        [{ text: '2021-01-01T00:00:00' }, 'invalid datetime'],
        [{ text: '2021-01-01t00:00:00z' }, 'good'],
      ],
    ],
  ])('%s returns a string', (expression, expected) => {
    const made = expected.map(([spec]) => [spec, results.textOf(expression, spec)]);
    expect(made).toEqual(expected);
  });
});
