import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type, type Type as ArkType } from 'arktype';
import * as Type from 'typebox';
import { Check } from 'typebox/value';
import * as v from 'valibot';
import * as z from 'zod';
import type { Member, Shape } from './random-shape.test-support.ts';
import type { SchemaInput } from './schema-input.ts';

/** A library: its schema for a shape, and its decision about a value. */
export interface Library {
  readonly name: string;
  readonly of: (shape: Shape) => {
    readonly schema: SchemaInput;
    readonly accepts: (value: unknown) => boolean;
  };
}

function zodOf(shape: Shape): z.ZodType {
  switch (shape.type) {
    case 'string': {
      const min = shape.min === undefined ? z.string() : z.string().min(shape.min);
      const max = shape.max === undefined ? min : min.max(shape.max);
      return shape.pattern === undefined ? max : max.regex(shape.pattern);
    }
    case 'number': {
      let schema: z.ZodNumber = shape.isInteger ? z.int() : z.number();
      if (shape.min !== undefined) schema = schema.min(shape.min);
      if (shape.above !== undefined) schema = schema.gt(shape.above);
      return shape.max === undefined ? schema : schema.max(shape.max);
    }
    case 'boolean':
      return z.boolean();
    case 'enum':
      return z.enum([...shape.values]);
    case 'numbers':
      return z.literal([...shape.values]);
    case 'array': {
      const schema = z.array(zodOf(shape.items)).max(shape.max);
      return shape.min === undefined ? schema : schema.min(shape.min);
    }
    case 'map':
      return z.record(z.string(), zodOf(shape.values));
    case 'object':
      return z.object(zodMembers(shape.members));
    case 'union': {
      const [one, other] = shape.tags.map((tag, index) =>
        z.object({ t: z.literal(tag), ...zodMembers(having(shape.members, index)) }),
      );
      return z.discriminatedUnion('t', [one, other] as never);
    }
    case 'nullable':
      return zodOf(shape.inner).nullable();
  }
}

function having(members: readonly Member[], tag: number): readonly Member[] {
  return members.filter((member) => (member.tag ?? tag) === tag);
}

function zodMembers(members: readonly Member[]): z.ZodRawShape {
  return Object.fromEntries(
    members.map(({ name, shape, isOptional }) => {
      const schema = zodOf(shape);
      return [name, isOptional ? schema.optional() : schema];
    }),
  );
}

type Valibot = v.GenericSchema;

function valibotOf(shape: Shape): Valibot {
  switch (shape.type) {
    case 'string':
      return v.pipe(
        v.string(),
        ...([
          ...(shape.min === undefined ? [] : [v.minLength(shape.min)]),
          ...(shape.max === undefined ? [] : [v.maxLength(shape.max)]),
          ...(shape.pattern === undefined ? [] : [v.regex(shape.pattern)]),
        ] as never[]),
      );
    case 'number':
      return v.pipe(
        v.number(),
        ...([
          ...(shape.isInteger ? [v.integer()] : []),
          ...(shape.min === undefined ? [] : [v.minValue(shape.min)]),
          ...(shape.above === undefined ? [] : [v.gtValue(shape.above)]),
          ...(shape.max === undefined ? [] : [v.maxValue(shape.max)]),
        ] as never[]),
      );
    case 'boolean':
      return v.boolean();
    case 'enum':
      return v.picklist([...shape.values]);
    case 'numbers':
      return v.picklist([...shape.values]);
    case 'array':
      return v.pipe(
        v.array(valibotOf(shape.items)),
        ...([
          v.maxLength(shape.max),
          ...(shape.min === undefined ? [] : [v.minLength(shape.min)]),
        ] as never[]),
      );
    case 'map':
      return v.record(v.string(), valibotOf(shape.values));
    case 'object':
      return v.object(valibotMembers(shape.members));
    case 'union':
      return v.variant(
        't',
        shape.tags.map((tag, index) =>
          v.object({ t: v.literal(tag), ...valibotMembers(having(shape.members, index)) }),
        ) as never,
      );
    case 'nullable':
      return v.nullable(valibotOf(shape.inner));
  }
}

function valibotMembers(members: readonly Member[]): Record<string, Valibot> {
  return Object.fromEntries(
    members.map(({ name, shape, isOptional }) => {
      const schema = valibotOf(shape);
      return [name, isOptional ? v.optional(schema) : schema];
    }),
  );
}

function arktypeOf(shape: Shape): ArkType {
  switch (shape.type) {
    case 'string': {
      let schema = type('string');
      if (shape.min !== undefined) schema = schema.atLeastLength(shape.min);
      if (shape.max !== undefined) schema = schema.atMostLength(shape.max);
      return shape.pattern === undefined ? schema : schema.and(type(shape.pattern));
    }
    case 'number': {
      let schema = type(shape.isInteger ? 'number.integer' : 'number');
      if (shape.min !== undefined) schema = schema.atLeast(shape.min);
      if (shape.above !== undefined) schema = schema.moreThan(shape.above);
      return shape.max === undefined ? schema : schema.atMost(shape.max);
    }
    case 'boolean':
      return type('boolean') as ArkType;
    case 'enum':
    case 'numbers':
      return type.enumerated(...shape.values) as ArkType;
    case 'array': {
      const schema = arktypeOf(shape.items).array().atMostLength(shape.max);
      return shape.min === undefined ? schema : schema.atLeastLength(shape.min);
    }
    case 'map':
      return type({ '[string]': arktypeOf(shape.values) }) as ArkType;
    case 'object':
      return type(arktypeMembers(shape.members) as never);
    case 'union': {
      const [one, other] = shape.tags.map((tag, index) =>
        type({ t: type.unit(tag), ...arktypeMembers(having(shape.members, index)) } as never),
      ) as unknown as [ArkType, ArkType];
      return one.or<ArkType>(other);
    }
    case 'nullable':
      return arktypeOf(shape.inner).or<'null', ArkType>('null');
  }
}

function arktypeMembers(members: readonly Member[]): object {
  return Object.fromEntries(
    members.map(({ name, shape, isOptional }) => [
      isOptional ? `${name}?` : name,
      arktypeOf(shape),
    ]),
  );
}

function typeboxOf(shape: Shape): Type.TSchema {
  switch (shape.type) {
    case 'string': {
      const { min, max, pattern } = shape;
      return Type.String({
        ...(min !== undefined && { minLength: min }),
        ...(max !== undefined && { maxLength: max }),
        ...(pattern !== undefined && { pattern }),
      });
    }
    case 'number': {
      const options = {
        ...(shape.min !== undefined && { minimum: shape.min }),
        ...(shape.above !== undefined && { exclusiveMinimum: shape.above }),
        ...(shape.max !== undefined && { maximum: shape.max }),
      };
      return shape.isInteger ? Type.Integer(options) : Type.Number(options);
    }
    case 'boolean':
      return Type.Boolean();
    case 'enum':
      return Type.Union(shape.values.map((value) => Type.Literal(value)));
    case 'numbers':
      return Type.Union(shape.values.map((value) => Type.Literal(value)));
    case 'array': {
      const min = shape.min === undefined ? {} : { minItems: shape.min };
      return Type.Array(typeboxOf(shape.items), { ...min, maxItems: shape.max });
    }
    case 'map':
      return Type.Record(Type.String(), typeboxOf(shape.values));
    case 'object':
      return Type.Object(typeboxMembers(shape.members));
    case 'union':
      return Type.Union(
        shape.tags.map((tag, index) =>
          Type.Object({ t: Type.Literal(tag), ...typeboxMembers(having(shape.members, index)) }),
        ),
      );
    case 'nullable':
      return Type.Union([typeboxOf(shape.inner), Type.Null()]);
  }
}

function typeboxMembers(members: readonly Member[]): Record<string, Type.TSchema> {
  return Object.fromEntries(
    members.map(({ name, shape, isOptional }) => {
      const schema = typeboxOf(shape);
      return [name, isOptional ? Type.Optional(schema) : schema];
    }),
  );
}

/** The libraries that `defineKind` supports. */
export const libraries: readonly Library[] = [
  {
    name: 'zod',
    of: (shape) => {
      const schema = zodOf(shape) as z.ZodObject;
      return { schema, accepts: (value) => schema.safeParse(value).success };
    },
  },
  {
    name: 'valibot',
    of: (shape) => {
      const schema = valibotOf(shape);
      return {
        schema: toStandardJsonSchema(schema) as SchemaInput,
        accepts: (value) => v.safeParse(schema, value).success,
      };
    },
  },
  {
    name: 'arktype',
    of: (shape) => {
      const schema = arktypeOf(shape);
      return {
        schema,
        accepts: (value) => !(schema(value) instanceof type.errors),
      };
    },
  },
  {
    name: 'typebox',
    of: (shape) => {
      const schema = typeboxOf(shape);
      return { schema, accepts: (value) => Check(schema, value) };
    },
  },
];
