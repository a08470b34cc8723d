export const plans = ['free', 'starter', 'pro', 'business'] as const;

export type Plan = (typeof plans)[number];
