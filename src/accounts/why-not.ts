/** The failures that concern one account of many. Any other ends the request, and nothing is changed. */
export const WHY_NOT = ['forbidden', 'not_found'] as const;
