import { Ajv, type ValidateFunction } from 'ajv';
import type { FastifyInstance, FastifySchemaValidationError } from 'fastify';
import { type Formats, validationFailure } from './validation.ts';

interface Validator {
  (data: unknown): boolean;
  errors?: FastifySchemaValidationError[] | null;
}

/**
 * Compiles the schema of a request at the first such request, so that no start waits for sixty schemas that are rarely
 * needed. Nothing is coerced or removed, and all mistakes are reported.
 */
export function compileOnFirstUse(app: FastifyInstance, formats: Formats): void {
  let ajv: Ajv | undefined;
  app.setValidatorCompiler<object>(({ schema }) => {
    let compiled: ValidateFunction | undefined;
    const validate: Validator = (data) => {
      ajv ??= newAjv(formats, Object.values(app.getSchemas()));
      compiled ??= ajv.compile(schema);
      const isValid = compiled(data);
      validate.errors = compiled.errors ?? null;
      return isValid;
    };
    return validate;
  });
}

/** Checks a value outside of requests as a body is checked. Fails with `validation_failed`. */
export function checkerOf(schema: object, formats: Formats): (value: unknown) => void {
  const validate = newAjv(formats, []).compile(schema);
  return (value) => {
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
