"""Linear layers with int8 weights, one scale per output channel.

Weight-only: the inputs stay in the model's dtype (W8A16, as in torchao's int8 weight-only mode).
Where torch has a kernel that reads the int8 weights as they are (`_weight_int8pack_mm`, on CPUs)
it multiplies with them; elsewhere the weights are turned back into the model's dtype per pass, so
that only memory is saved.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

STEPS = 127  # of a weight's magnitude


class Int8Linear(nn.Module):
    """An nn.Linear for inference. weight: [out, in] int8; scale: [out] in the model's dtype."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.in_features, self.out_features = linear.in_features, linear.out_features
        exact = linear.weight.detach().float()
        scale = exact.abs().amax(1).clamp(min=torch.finfo(torch.float32).tiny) / STEPS
        rounded = (exact / scale[:, None]).round().to(torch.int8)
        self.weight = nn.Parameter(rounded, requires_grad=False)
        self.scale = nn.Parameter(scale.to(linear.weight.dtype), requires_grad=False)
        self.bias = None if linear.bias is None else nn.Parameter(linear.bias.detach(), False)

    def forward(self, x: Tensor) -> Tensor:
        if x.device.type != "cpu":
            return F.linear(x, self.weight.to(x.dtype) * self.scale[:, None], self.bias)
        out = torch._weight_int8pack_mm(x.flatten(0, -2), self.weight, self.scale)
        out = out.unflatten(0, x.shape[:-1])
        return out if self.bias is None else out + self.bias


def quantise(module: nn.Module) -> None:
    """Replace every nn.Linear below `module`, the lm_head too; embedding tables stay."""
    for name, child in list(module.named_children()):
        if type(child) is nn.Linear:
            setattr(module, name, Int8Linear(child))
        else:
            quantise(child)
