"""Cross-entropy through the tied head, a few rows at a time: the logits of 49,152 tokens are never all in memory."""

import torch
import torch.nn.functional as F

ROWS = 128


class HeadLoss(torch.autograd.Function):
    """Weighted sum of cross-entropies. The gradient is made with the loss, while the logits are at hand."""

    @staticmethod
    def forward(ctx, hidden, embedding, targets, weight):
        gradient, total = torch.empty_like(hidden), hidden.new_zeros((), dtype=torch.float32)
        for here in torch.arange(len(hidden)).split(ROWS):
            log_p = F.log_softmax(F.linear(hidden[here], embedding).float(), -1)
            row = torch.arange(len(here))
            total -= (log_p[row, targets[here]] * weight[here]).sum()
            p = log_p.exp_()
            p[row, targets[here]] -= 1
            gradient[here] = (p * weight[here, None]).to(hidden.dtype) @ embedding
        ctx.save_for_backward(gradient)
        return total

    @staticmethod
    def backward(ctx, upstream):
        (gradient,) = ctx.saved_tensors
        return gradient * upstream.to(gradient.dtype), None, None, None


def head_loss(hidden, embedding, targets, weight):
    return HeadLoss.apply(hidden, embedding, targets, weight)
