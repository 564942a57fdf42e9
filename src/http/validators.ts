import { Ajv, type ValidateFunction } from 'ajv';
import type { FastifyInstance, FastifySchemaValidationError } from 'fastify';
import type { Formats } from './validation.ts';

interface Validator {
  (data: unknown): boolean;
  errors?: FastifySchemaValidationError[] | null;
}

/**
 * Compiles the schema of a request when the first one comes: no start waits for sixty schemas of which most are not
 * asked for soon. Nothing is coerced or left out, and all mistakes are told.
 */
export function compileOnFirstUse(app: FastifyInstance, formats: Formats): void {
  let ajv: Ajv | undefined;
  app.setValidatorCompiler<object>(({ schema }) => {
    let compiled: ValidateFunction | undefined;
    const validate: Validator = (data) => {
      ajv ??= newAjv(formats, app);
      compiled ??= ajv.compile(schema);
      const isValid = compiled(data);
      validate.errors = compiled.errors ?? null;
      return isValid;
    };
    return validate;
  });
}

function newAjv(formats: Formats, app: FastifyInstance): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    useDefaults: true,
    addUsedSchema: false,
    // A format may say which of its rules a value breaks.
    verbose: true,
  });
  for (const [name, { validate }] of Object.entries(formats)) ajv.addFormat(name, validate);
  ajv.addSchema(Object.values(app.getSchemas()).map((schema) => Object(schema)));
  return ajv;
}
