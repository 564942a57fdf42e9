import { Ajv, type ValidateFunction } from 'ajv';
import type { FastifyInstance, FastifySchemaValidationError } from 'fastify';
import { schemasIn } from './schemas-in.ts';
import { type Formats, validationFailure } from './validation.ts';

interface Validator {
  (data: unknown): boolean;
  errors?: FastifySchemaValidationError[] | null;
}

/** The compiled schemas of requests, of all services of the process, by the texts of what they depend on. */
const compiled = new Map<string, ValidateFunction>();
/** The formats of all services of the process. A schema has no more of a format than its name. */
const formatsByName = new Map<string, Formats[string]>();

/**
 * Compiles the schema of a request at the first such request, so that no start waits for sixty schemas that are rarely
 * needed, and once in a process, because a compilation takes a millisecond or two. Nothing is coerced or removed, and
 * all mistakes are reported. Two different formats of one name stop the start.
 */
export function compileOnFirstUse(app: FastifyInstance, formats: Formats): void {
  for (const [name, format] of Object.entries(formats)) {
    if ((formatsByName.get(name) ?? format) !== format)
      throw new Error(`Two different formats have the name "${name}".`);
    formatsByName.set(name, format);
  }
  let ajv: Ajv | undefined;
  const compile = (schema: object): ValidateFunction => {
    const [text, shared] = [JSON.stringify(schema), app.getSchemas()];
    const key = text + JSON.stringify(schemasIn(text, shared));
    const before = compiled.get(key);
    if (before) return before;
    ajv ??= newAjv(formats, Object.values(shared));
    const made = ajv.compile(schema);
    compiled.set(key, made);
    return made;
  };
  app.setValidatorCompiler<object>(({ schema }) => {
    let check: ValidateFunction | undefined;
    const validate: Validator = (data) => {
      check ??= compile(schema);
      const isValid = check(data);
      validate.errors = check.errors ?? null;
      return isValid;
    };
    return validate;
  });
}

/**
 * Checks a value outside of requests as a body is checked. Fails with `validation_failed`. The schema is compiled at the
 * first call, because most commands that load it check nothing.
 */
export function checkerOf(schema: object, formats: Formats): (value: unknown) => void {
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= newAjv(formats, []).compile(schema);
    if (!validate(value)) throw validationFailure(validate.errors ?? [], 'line', formats);
  };
}

function newAjv(formats: Formats, shared: readonly unknown[]): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    useDefaults: true,
    addUsedSchema: false,
    // Gives a format the value, so that its message can name the broken rule.
    verbose: true,
    // A test holds the schemas of all routes against the schema of schemas, whose compilation takes as long as ten others.
    meta: false,
    validateSchema: false,
  });
  for (const [name, { validate }] of Object.entries(formats)) ajv.addFormat(name, validate);
  ajv.addSchema(shared.map((schema) => Object(schema)));
  return ajv;
}
